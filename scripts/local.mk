EXTRA_DIST += %D%/build %D%/check %D%/install-packages %D%/quickstart .ci/run
