/* Runs the same program with Dolphin's library and with libsisci-shm, both linked into one
 * program: use_sisci.c is compiled twice with different names for its main function. */
int use_dolphin(void);
int use_software(void);

int main(void)
{
    return use_dolphin() != 0 || use_software() != 0;
}
