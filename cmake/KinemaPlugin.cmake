# kinema_add_plugin(NAME SOURCES file... [LIBRARIES target...]): one plugin library, NAME.so, which exports one symbol.
set(KINEMA_PLUGIN_DIR ${CMAKE_CURRENT_LIST_DIR})
function(kinema_add_plugin name)
  cmake_parse_arguments(ARG "" "OUTPUT_DIRECTORY" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE kinema::sdk ${ARG_LIBRARIES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_options(${name} PRIVATE -Wl,-z,nodelete -Wl,--no-undefined
    -Wl,--version-script=${KINEMA_PLUGIN_DIR}/plugin.map)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT_DIRECTORY} LINK_DEPENDS ${KINEMA_PLUGIN_DIR}/plugin.map)
endfunction()
