target_include_directories(glaze INTERFACE libraries/glaze) # values of any type
