#!/bin/sh
# --config: the technology and the document get the values of the three files, command-line options take
# precedence, and errors are reported with file and line before the first measurement.
# faulty_oneway and faulty_funnel have a technology called sci, and none called tcp.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
examples=$srcdir/docs/examples

# measured NAME RANKS PROGRAM OPTIONS...: the document is in result.json
measured() {
    case_is "$1"
    shift
    run "$@" --sizes 64 --max-time 0.02 --format json
    mv out result.json
    expect_status 0
    expect_silence
    expect_valid result.json
}

expect() { # expression, expected
    expect_document result.json "$1" "$2"
}

settings="d['environment']['technology_settings']"
ranks="d['environment']['ranks']"

# Good directories

measured "defaults of the note" 2 faulty_oneway --config "$examples/note-defaults"
expect "d['technology'], d['parameters']['technology'], ${settings}['made_from']" "('sci', 'sci', 'files')"
expect "[${settings}[k] for k in ('recv_seg_size', 'header_area_size', 'inline_area_size')]" \
    "[1048576, 8192, 0]"
expect "[${settings}[k] for k in ('recv_buffer_no', 'recv_buffer_size', 'max_outst_buffers')]" \
    "[127, 8192, 1]"
expect "${settings}['use_send_pool'], 'node_id' in $settings" "(False, False)"
expect "[(r['node'], r['id']) for r in $ranks]" "[('node1', 1), ('node2', 2)]"

expect "${settings}['acknowledge_each'], ${settings}['transfer_multiple']" "(True, 64)"
cp result.json defaults.json

measured "the preset has the defaults of the note" 2 faulty_oneway --config note
expect "d['technology'], d['parameters']['config'], ${settings}['made_from']" "('sci', 'note', 'files')"
expect "[(r['node'], r['id']) for r in $ranks]" "[('node1', 1), ('node2', 2)]"
expect "$settings == json.load(open('defaults.json'))['environment']['technology_settings']" True

measured "what differs stands with each rank" 3 faulty_funnel --config "$examples/two-machines"
expect "[(r['node'], r['id'], r['technology_settings']['node_id']) for r in $ranks]" \
    "[('supervisor', 1, 4), ('ros1', 11, 4), ('ros2', 12, 8)]"
expect "[r['technology_settings']['max_outst_buffers'] for r in $ranks]" "[15, 4, 4]"
expect "${settings}['recv_buffer_size'], 'max_outst_buffers' in $settings" "(32768, False)"

measured "an option goes before the Context" 2 cb_oneway --config "$examples/note-defaults" \
    --technology mpi
expect "d['technology'], 'made_from' in d['environment'].get('technology_settings', {})" \
    "('mpi', False)"
expect "d['parameters']['config'] == '$examples/note-defaults', ${ranks}[1]['node']" "(True, 'node2')"

measured "settings derived from the job" 3 faulty_funnel --technology sci
expect "${settings}['made_from'], ${settings}['recv_buffer_size']" "('job', 64)"
expect "${settings}['acknowledge_each'], ${settings}['transfer_multiple']" "(False, 1)"
expect "${settings}['header_area_size'] >= 128 and ${settings}['recv_buffer_no'] >= 4" True
expect "'node' in ${ranks}[0]" False

mkdir named
printf 'Technology = TCP\ngroup readers { members = {4, 2} }\ngroup far { members = {5} }\ngroup head { members = {1} }\n' \
    >named/network.conf
printf 'node a { id = 1 }\nnode b { id = 2 }\nnode c { id = 3 }\nnode d { id = 4 }\nnode e { id = 5 }\n' \
    >named/nodes.conf
: >named/machines.conf
measured "the members of a named group are the destinations, in their order" 4 cb_multicast \
    --config named --technology mpi --group readers --list fixed --verify
expect "[r.get('role') for r in $ranks]" "['source', 'destination', None, 'destination']"
expect "sorted((r['destinations'], r['multicast']) for r in d['results'])" \
    "[(2, 'loop'), (2, 'technology')]"
expect "d['parameters']['receivers']" "[3, 1]"

case_is "an unknown technology is SCI with a warning"
cp -r "$examples/note-defaults" unknown
sed 's/= SCI/= Myrinet/' "$examples/note-defaults/network.conf" >unknown/network.conf
run 2 faulty_oneway --config unknown --sizes 64 --max-time 0.02 --format json
mv out result.json
expect_status 0
expect_one_error "warning: unknown/network.conf:5: Technology = Myrinet" "so sci is used" "write one of mpi, null"
expect "d['technology']" sci

# The command line

measured "a parameter goes before the Context" 2 faulty_oneway --config "$examples/note-defaults" \
    --parameter recv_buffer_no=120,recv_seg_id=20
expect "d['parameters']['parameter']" "recv_buffer_no=120,recv_seg_id=20"
expect "[${settings}[k] for k in ('recv_buffer_no', 'recv_seg_id', 'recv_buffer_size', 'made_from')]" \
    "[120, 20, 8192, 'files']"

# A technology with its own parameter and counter

measured "what a technology counts stands in each row" 2 faulty_oneway --technology metered \
    --parameter weight=3
expect "${settings}['weight'], d['technology']" "(3, 'metered')"
expect_rows "r['meter']['weighed'] > 0 and r['meter']['weighed'] % 3 == 0 and 'datagrams' not in r"

# Bad directories

# refused NAME RANKS PROGRAM CONFIG-DIR TEXT...: with status 2 and one message, and nothing measured
refused() {
    case_is "$1"
    ranks_started=$2
    program=$3
    directory=$4
    shift 4
    # shellcheck disable=SC2086 # options may stand after the directory
    run_refused "$ranks_started" "$program" --config $directory --output refused.json
    expect_status 2
    expect_one_error "$@"
    expect_true "nothing written" test ! -e refused.json
    expect_all_gone
}

# with FILE TEXT: a copy of the defaults with one file changed, in bad/
with() {
    rm -rf bad
    cp -r "$examples/note-defaults" bad
    printf '%b' "$2" >"bad/$1"
}

refused "no such directory" 2 cb_oneway missing "missing/network.conf" "No such file" "--config" "the preset note"
with nodes.conf ''
rm bad/machines.conf
refused "a file is missing" 0 cb_oneway bad "bad/machines.conf" "No such file"
with network.conf 'Technology = TCP\n'
refused "a technology that is not built" 0 faulty_oneway bad "'tcp' (from bad/network.conf:1" "--technology"
with network.conf '# x\n\nSCI {\n    recv_bufer_no = 3\n}\n'
refused "an unknown parameter" 0 cb_oneway bad "bad/network.conf:4:" "'recv_buffer_no'"
with network.conf 'SCI { max_outst_buffers = 16 }\n'
refused "a value out of range" 0 cb_oneway bad "bad/network.conf:1: max_outst_buffers = 16" "1 to 15"
with network.conf 'SCI { transfer_multiple = 48 }\n'
refused "a multiple that is no power of 2" 0 cb_oneway bad "bad/network.conf:1: transfer_multiple = 48" \
    "not a power of 2"
with network.conf 'SCI { transfer_multiple = 128 }\n'
refused "a multiple above a line" 0 cb_oneway bad "bad/network.conf:1: transfer_multiple = 128" "64"
with network.conf 'SCI {\n recv_buffer_no = 128 }\n'
refused "areas that do not fit" 2 faulty_oneway bad "bad/network.conf:2: recv_seg_size" \
    "recv_seg_size = 1056768 or more"
with network.conf 'SCI {\n recv_buffer_no = 5 }\n'
refused "buffers too few for the job" 5 faulty_funnel bad "bad/network.conf:2: recv_buffer_no = 5" \
    "recv_buffer_no = 6 or more"
with nodes.conf 'node a { id = 1 }\nnode b { id = 2\n'
refused "syntax" 0 cb_oneway bad "bad/nodes.conf:2:" "not closed"
refused "a group that is not there" 2 cb_multicast "named --group writers" \
    "named/network.conf has no group" "readers, far, head"
case_is "a group without files"
run_refused 2 cb_multicast --group readers --sizes 64
expect_status 2
expect_one_error "--group readers" "--config DIR"
case_is "a parameter that the technology does not have"
run_refused 2 cb_oneway --technology tcp --parameter timeout_ms=5 --sizes 64
expect_status 2
expect_one_error "--parameter timeout_ms=5: the technology tcp has no such parameter" \
    "tcp has port, socket_buffer_size, pacing_Bps, silence_s"
case_is "a parameter out of range"
run_refused 2 cb_oneway --technology tcp --parameter port=70000 --sizes 64
expect_status 2
expect_one_error "--parameter port=70000" "0 to 65535"
case_is "conflicting parameters"
run_refused 2 faulty_oneway --config "$examples/note-defaults" --parameter recv_buffer_no=2 --sizes 64
expect_status 2
expect_one_error "--parameter: recv_buffer_no = 2 is too small" "recv_buffer_no = 3 or more"
with nodes.conf 'node a { id = 1 }\n'
refused "fewer nodes than ranks" 2 faulty_oneway bad "bad/nodes.conf has 1 nodes" "needs 2 nodes"

thorough || finish

measured "a parameter goes before the preset" 2 faulty_oneway --config note \
    --parameter max_outst_buffers=4,use_send_pool=1,acknowledge_each=0,transfer_multiple=8
expect "[${settings}[k] for k in ('max_outst_buffers', 'use_send_pool', 'acknowledge_each', 'transfer_multiple')]" \
    "[4, True, False, 8]"

case_is "15 outstanding messages of the note: 8 KB in one piece, as its receive buffers"
run 2 cb_oneway --technology sci --config note --parameter max_outst_buffers=15 --mode stream \
    --sizes 8128,8192,8256 --max-time 0.05 --verify --output result.json
expect_status 0
expect "[r.get('piece_bytes', 'one') for r in d['results']]" "['one', 'one', 8192]"

case_is "packets that differ by destination, in buffers larger than packets"
run 2 cb_outfarm --technology sci --config note --parameter use_send_pool=1 --sizes 8,24,40,100 \
    --max-time 0.02 --output result.json
expect_status 0
expect "[r['size_bytes'] for r in d['results'] if r['mode'] == d['results'][0]['mode']]" "[8, 24, 40, 100]"

mkdir note
printf 'SCI { max_outst_buffers = 3 }\n' >note/network.conf
printf 'node own { id = 7 }\nnode other { id = 8 }\n' >note/nodes.conf
: >note/machines.conf
measured "a directory goes before the preset of the same name" 2 faulty_oneway --config note
expect "${settings}['max_outst_buffers'], ${ranks}[0]['node']" "(3, 'own')"
rm -r note

measured "the members of a named group are the sources" 3 faulty_funnel --config "$examples/two-machines" \
    --group sources
expect "d['parameters']['group'], [r['role'] for r in $ranks]" \
    "('sources', ['destination', 'source', 'source'])"
expect "[r['sources'] for r in d['results'] if r['mode'] == 'event']" "[1, 2]"

mkdir plain
printf 'Technology = MPI\n' >plain/network.conf
cp named/nodes.conf named/machines.conf plain
measured "a technology without a Context can be named" 2 cb_oneway --config plain
expect "d['technology'], 'made_from' in d['environment'].get('technology_settings', {})" "('mpi', False)"

printf 'Technology = Metered\nMETERED { weight = 2 }\n' >plain/network.conf
printf 'node a { id = 1 }\nnode b { id = 2 METERED { weight = 4 } }\n' >plain/nodes.conf
measured "its Context is read from files" 2 faulty_oneway --config plain
expect "[r['technology_settings']['weight'] for r in $ranks]" "[2, 4]"

measured "without --config the technology is mpi" 2 cb_oneway
expect "d['technology']" mpi

measured "a parameter goes before what is derived" 2 cb_oneway --technology tcp --parameter silence_s=3
expect "${settings}['silence_s'], ${settings}['port'], ${settings}['made_from']" "(3, 0, 'job')"

case_is "its counter is a column of text and CSV"
run 2 faulty_oneway --technology metered --sizes 64 --max-time 0.02 --format csv
expect_status 0
expect_true "a column of CSV" grep -q 'meter_weighed' out
run 2 faulty_oneway --technology metered --sizes 64 --max-time 0.02
expect_status 0
expect_true "a column of text" grep -q 'metered' out
expect_true "the parameter in the head" grep -q 'settings made from the job: weight 1' out

refused "a member beyond the job" 4 cb_multicast "named --group far" "member 5 is the node of rank 4" \
    "the job has only 4 ranks"
refused "a member that is the source" 2 cb_outfarm "named --group head" "member 1 is the node of rank 0" \
    "the source"
refused "a group and ranks" 2 cb_multicast "named --group readers --receivers 1" "--receivers also chooses ranks"
refused "more than the group has" 4 cb_multicast "named --group readers --destinations 3" \
    "--destinations 3: --group has only 2 ranks"
case_is "a parameter of a technology without any"
run 0 cb_oneway --parameter port=1 --sizes 64
expect_status 2
expect_one_error "--parameter port=1: the technology mpi has no parameters"

finish
