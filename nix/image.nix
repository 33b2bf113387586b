# The OCI image: the lab, its runners and nothing else; `docker load < result`. Runs go into the volume /lab.
{
  pkgs,
  lab,
  revision,
}:
let
  inherit (pkgs) lib;
  inherit (lib.importTOML ../pyproject.toml) project;
in
pkgs.dockerTools.buildLayeredImage {
  name = "wirelab";
  tag = "nix";
  contents = [
    lab.package
    pkgs.bash # for those who run the image under something that composes commands
    pkgs.dockerTools.fakeNss
  ];
  extraCommands = ''
    mkdir -m 1777 tmp lab
  '';
  config = {
    Entrypoint = [ "/bin/lab" ];
    Cmd = [
      "bench"
      "--profile"
      "quick"
    ];
    User = "1000:1000";
    WorkingDir = "/lab";
    Env = [
      "LAB_WORK=/lab"
      "HOME=/tmp"
    ];
    Volumes."/lab" = { };
    Labels = lib.mapAttrs' (name: lib.nameValuePair "org.opencontainers.image.${name}") (
      {
        title = project.name;
        inherit (project) description version;
        licenses = project.license;
      }
      // lib.optionalAttrs (revision != null) { inherit revision; }
    );
  };
}
