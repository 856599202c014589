# CB_DRIVER: the python3 (3.9 or later) that runs the installed driver and makes its manual pages. The first one that
# has all modules of the verbs is taken, which need not be the first in PATH; otherwise one that can read documents,
# otherwise one that can measure. Without any the manual pages are omitted, since the driver would not run.
AC_DEFUN([CB_DRIVER], [
  AC_ARG_VAR([PYTHON3], [python3 for the driver, 3.9 or later with fastjsonschema, scipy, matplotlib, jinja2])
  AC_MSG_CHECKING([for a python3 for the driver])
  cb_tried=${PYTHON3:-python3 /usr/bin/python3 /usr/local/bin/python3}
  cb_probe='import sys, importlib.util as u
sys.exit(sys.version_info < (3, 9) or any(u.find_spec(name) is None for name in "CB_MODULES".split()))'
  PYTHON3=
  cb_driver_found="cannot run: no python3 of version 3.9 or later"
  for cb_modules in "fastjsonschema scipy matplotlib jinja2" "fastjsonschema scipy" "sys"; do
    for cb_candidate in $cb_tried; do
      AS_IF([test -z "$PYTHON3" && $cb_candidate -c "`AS_ECHO(["$cb_probe"]) | sed "s/CB_MODULES/$cb_modules/"`" 2>/dev/null],
        [PYTHON3=`$cb_candidate -c 'import sys; print(sys.executable)'`
         AS_CASE([$cb_modules],
           [sys], [cb_driver_found="$PYTHON3, without fastjsonschema and scipy: no compare, predict, report"],
           [*jinja2], [cb_driver_found=$PYTHON3],
           [cb_driver_found="$PYTHON3, without matplotlib and jinja2: no report"])])
    done
  done
  AC_MSG_RESULT([$cb_driver_found])
  AM_CONDITIONAL([HAVE_PYTHON3], [test -n "$PYTHON3"])
])
