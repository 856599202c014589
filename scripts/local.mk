EXTRA_DIST += %D%/build %D%/check %D%/install-packages %D%/quickstart %D%/testbed %D%/trace .ci/run
