# `make deb`: one Debian package of all that is installed, by CPack (decision 0179). What it depends on is read from the programs
# and libraries themselves (dpkg-shlibdeps). tools/deb.sh configures for it: prefix /usr, no tests.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME habitat)
set(CPACK_PACKAGE_VERSION ${HABITAT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of Habitat <habitat@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts the training time of neural networks on other GPUs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "How long one training iteration takes on GPUs you do not have, from one recorded on a GPU you do have.
The command line, the C library with its headers, the recorder of CUDA programs and the manual. Needs no GPU.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and with it a run of ldconfig
# opened when they are used: networks of `train` and `eval`, scripts that `record` runs
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0 | libblas3, python3, man-db")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
