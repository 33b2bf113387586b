target_include_directories(msgpack-c INTERFACE libraries/msgpack-c) # values of any type
