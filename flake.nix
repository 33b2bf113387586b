{
  description = "A reproducible lab for serialization formats";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      # What nix/ gives for a system; the commit goes into every run's provenance. An uncommitted tree is recorded as
      # such. With --override-input for nixpkgs, Nix tells no commit, and none is recorded.
      wirelab = nixpkgs.lib.genAttrs systems (
        system:
        import ./nix {
          pkgs = nixpkgs.legacyPackages.${system};
          revision = self.rev or self.dirtyRev or null;
        }
      );
      outputs = name: builtins.mapAttrs (_: outputs: outputs.${name}) wirelab;
    in
    # Before nixpkgs, which refuses it too, is downloaded.
    if builtins.compareVersions builtins.nixVersion "2.18" < 0 then
      throw "The flake needs Nix 2.18 or later, and this is ${builtins.nixVersion}. Upgrade it, or take the lab without Nix: ./lab bench"
    else
      {
        packages = outputs "packages";
        apps = outputs "apps";
        checks = outputs "checks";
        devShells = outputs "devShells";
        formatter = outputs "formatter";
      };
}
