# TOML written by Nix, which itself only reads it: the manifests and lock files of a build without what it doesn't need.
{ lib }:
let
  key = name: if lib.match "[A-Za-z0-9_-]+" name != null then name else builtins.toJSON name;
  pair = name: value: "${key name} = ${inline value}";
  # A string of JSON is one of TOML too, but for U+007F, and so are its numbers and booleans.
  delete = builtins.fromJSON ''"\u007F"'';
  inline =
    value:
    if lib.isAttrs value then
      "{ ${lib.concatStringsSep ", " (lib.mapAttrsToList pair value)} }"
    else if lib.isList value then
      "[ ${lib.concatMapStringsSep ", " inline value} ]"
    else
      lib.replaceStrings [ delete ] [ "\\u007F" ] (builtins.toJSON value);
  isTables = value: lib.isList value && value != [ ] && lib.all lib.isAttrs value;
  # The lines of a table, then the tables in it, each below its heading.
  table =
    path: value:
    let
      of = test: lib.filterAttrs (_: test) value;
      heading = name: lib.concatMapStringsSep "." key (path ++ [ name ]);
      within = name: table (path ++ [ name ]);
    in
    lib.concatStrings (
      lib.mapAttrsToList (name: one: "${pair name one}\n") (of (one: !lib.isAttrs one && !isTables one))
      ++ lib.mapAttrsToList (name: one: "\n[${heading name}]\n${within name one}") (of lib.isAttrs)
      ++ lib.mapAttrsToList (
        name: lib.concatMapStrings (one: "\n[[${heading name}]]\n${within name one}")
      ) (of isTables)
    );
in
table [ ]
