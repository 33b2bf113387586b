# The scenarios, as Nix reads and writes them. A string of Nix can't hold U+0000, which some of their texts have: its
# escape sequence is kept as text, \\u0000, and made one again in what is written. (One that is itself behind a backslash
# stops the evaluation, as it would without this.)
{ lib }:
let
  folder = ../schemas/scenarios;
  toTOML = import ./toml.nix { inherit lib; };
  escape = ''\u0000'';
in
{
  # NAME → what NAME.toml says.
  all = lib.listToAttrs (
    map (file: {
      name = lib.head (lib.match "(.*)\\.toml" file);
      value = builtins.fromTOML (
        lib.replaceStrings [ escape ] [ "\\${escape}" ] (lib.readFile (folder + "/${file}"))
      );
    }) (lib.filter (file: lib.match ".*\\.toml" file != null) (lib.attrNames (builtins.readDir folder)))
  );
  write = scenario: lib.replaceStrings [ "\\${escape}" ] [ escape ] (toTOML scenario);
}
