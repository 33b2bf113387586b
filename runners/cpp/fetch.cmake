# Has CMake's FetchContent bring one archive: `cmake -DURL=… -DSHA256=… -DARCHIVE=FILE -DTREE=FOLDER -P fetch.cmake`.
# It is downloaded unless it is there, held against its hash, and unpacked anew each time: what is built is what it holds.
# Without TREE the file is no archive, and is kept as it is.
cmake_minimum_required(VERSION 3.30)
include(FetchContent)

file(DOWNLOAD "${URL}" "${ARCHIVE}" EXPECTED_HASH SHA256=${SHA256} TIMEOUT 300 INACTIVITY_TIMEOUT 5)
if(NOT TREE)
  return()
endif()
set(FETCHCONTENT_BASE_DIR "${TREE}.tmp")
file(REMOVE_RECURSE "${FETCHCONTENT_BASE_DIR}") # of a process that was killed
FetchContent_Populate(source URL "${ARCHIVE}" URL_HASH SHA256=${SHA256} SOURCE_DIR "${TREE}" DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
file(REMOVE_RECURSE "${FETCHCONTENT_BASE_DIR}")
if(EXISTS "${TREE}/data.tar.xz") # the files of a Debian package
  file(ARCHIVE_EXTRACT INPUT "${TREE}/data.tar.xz" DESTINATION "${TREE}")
endif()
