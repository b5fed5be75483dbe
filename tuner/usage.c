/* SPDX-License-Identifier: MIT
 *
 * What --help says.
 */
#include "options.h"

const char tune_usage_text[] =
	"usage: scantune --device N|emu [option ...]          tune a device, keep the results in the database\n"
	"       scantune devices [--json]                     the devices that can be tuned\n"
	"       scantune list [--json] [--db PATH]            what was tuned\n"
	"       scantune show TYPE OP [--json] [--db PATH]    everything known about one problem\n"
	"       scantune why TYPE OP COUNT [--json]           what a choice was up against, and the rule that decided\n"
	"       scantune verify|recheck [--device N|emu]      what was tuned, checked again; and timed again\n"
	"       scantune export FILE [--with-images]          the choices, to give away\n"
	"       scantune import FILE [--with-images]          somebody's choices, verified and timed here\n"
	"       scantune prune [--keep N] [--dry-run]         what no choice needs, away\n"
	"       scantune doctor [--json]                      what scans find on this machine, and what is wrong\n"
	"       scantune bench [--device N|emu] [--type T] [--op O] [--count N] [--mode M] [--variant V]\n"
	"                [--repeat R] [--counters]            time the library as a program gets it; or what the\n"
	"                                                     emulated device counts in it\n"
	"       scantune compare [--device N|emu] [--type T] [--op O] [--count N] [--sweep|--vary KNOB]\n"
	"                [--json|--markdown]\n"
	"       scantune compare --markdown FILE              the strategies, other libraries and the copy, in turn\n"
	"       scantune plot [FILE] -o OUT.svg|OUT.png       draws what compare --json wrote, or the database\n";

const char tune_help_text[] =
	"\n"
	"  --device N|emu        the device's ordinal, or the emulated device\n"
	"  --quick, --thorough   fewer or more variants than usual\n"
	"  --time 10m            end after this long, with what was found by then\n"
	"  --type LIST           element types: i32,f32\n"
	"  --op LIST             operators: sum,max\n"
	"  --all                 every built-in type and operator\n"
	"  --mode LIST           inclusive,exclusive\n"
	"  --count LIST          counts to tune for, in place of the size classes' own\n"
	"  --db PATH             the database; otherwise that of SCANRT_DB, or the user's\n"
	"  --system              publish the result for all users; list and show: what was published\n"
	"  --codegen sass|ptx    how machine code is made\n"
	"  --jobs N              compilers at a time\n"
	"  --seed N              of the random inputs and of the order of measurements\n"
	"  --require-quiet       only where no other process is on the device and its clock is not held back\n"
	"  --restart             do not go on where an interrupted run left off\n"
	"  --dry-run             say what would be done\n"
	"  --sweep               compare: counts from 1000 to 2^28, or to --count\n"
	"  --vary KNOB           compare: the values of a knob, such as circuit, in place of the strategies\n"
	"  --markdown            compare: as a table of Markdown\n"
	"  -o, --output FILE     plot: an SVG or a PNG, by the ending\n"
	"  --keep N              prune: the last N runs of each device (2)\n"
	"  --with-images         export, import: machine code, too; import takes it from trusted files only\n"
	"  --json, --quiet, --verbose, --help, --version\n"
	"\n"
	"Exit status: 0 complete, 1 usage, 2 not complete (usable), 3 no device, 4 no database, or another tuner,\n"
	"5 device lost.  See scantune(1).\n";
