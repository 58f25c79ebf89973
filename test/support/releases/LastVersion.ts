import { existsSync, readdirSync } from "node:fs"
import packageJson from "../../../package.json" with { type: "json" }

/** Stands for the commit of the last release before the second release. */
export const NO_RELEASE = "none"

const RELEASES = "test/data/releases"

const partsOf = (version: string) => version.split(".").map(Number)

const isBefore = (one: string, other: string) => {
  const [left, right] = [partsOf(one), partsOf(other)]
  const index = left.findIndex((part, at) => part !== right[at])
  return index >= 0 && (left[index] ?? 0) < (right[index] ?? 0)
}

/** Version of the last release before this one; undefined before the second release. */
export const lastVersion = (): string | undefined =>
  (existsSync(RELEASES) ? readdirSync(RELEASES) : [])
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name) && isBefore(name, packageJson.version))
    .toSorted((a, b) => (isBefore(a, b) ? 1 : -1))[0]
