/* Runs the same program over Dolphin's library and over ours, linked into one: each is compiled
 * from use_sisci.c with a main function of another name. */
int use_dolphin(void);
int use_software(void);

int main(void)
{
    return use_dolphin() != 0 || use_software() != 0;
}
