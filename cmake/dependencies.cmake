# Libraries of the system. docs/dependencies.md says why each is here.
if(HABITAT_STATIC_DEPENDENCIES) # their archives, and nothing else of that name (decision 0180)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_path(YAJL_INCLUDE_DIR yajl/yajl_parse.h REQUIRED)
find_library(YAJL_LIBRARY NAMES yajl yajl_s REQUIRED)
add_library(yajl INTERFACE)
target_include_directories(yajl SYSTEM INTERFACE ${YAJL_INCLUDE_DIR})
target_link_libraries(yajl INTERFACE ${YAJL_LIBRARY})
# Chakra traces are protobuf: the C of their messages is made from a .proto file.
find_path(PROTOBUF_C_INCLUDE_DIR protobuf-c/protobuf-c.h REQUIRED)
find_library(PROTOBUF_C_LIBRARY protobuf-c REQUIRED)
find_program(PROTOBUF_C_COMPILER protoc-c REQUIRED)
add_library(protobuf_c INTERFACE)
target_include_directories(protobuf_c SYSTEM INTERFACE ${PROTOBUF_C_INCLUDE_DIR})
target_link_libraries(protobuf_c INTERFACE ${PROTOBUF_C_LIBRARY})
if(HABITAT_SQLITE)
  find_package(SQLite3 REQUIRED)
endif()

# Charts of HTML reports: one file, embedded as it is (src/report/page).
find_file(HABITAT_CHART_JS chart.min.js
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH DOC "chart.min.js of Chart.js 3 or 4")
if(NOT HABITAT_CHART_JS)
  message(FATAL_ERROR "Chart.js is not there: install Debian's libjs-chart.js, or name the file: -DHABITAT_CHART_JS=PATH/chart.min.js")
endif()
file(READ ${HABITAT_CHART_JS} chart_js)
string(FIND "${chart_js}" "</script" chart_js_end) # would end the element it is put into
if(NOT chart_js MATCHES "Chart.js v[34]\\." OR NOT chart_js_end EQUAL -1)
  message(FATAL_ERROR "${HABITAT_CHART_JS} is not Chart.js 3 or 4; use that of Debian's libjs-chart.js")
endif()
