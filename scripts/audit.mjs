// Fails if npm knows an advisory of severity high or critical for a package that the service installs or that is bundled
// into the dashboard: `npm run audit`. Tools of development are counted only. Without an audit endpoint, as on mirrors, it
// is skipped.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** Statuses of registries that have no audit endpoint. */
const NO_ENDPOINT = new Set([404, 405, 501])
const SEVERE = new Set(["high", "critical"])

const print = (line) => process.stdout.write(`${line}\n`)

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

/** Names of packages that the sources of the dashboard import: `@scope/name` of `@scope/name/path`. */
const bundled = readdirSync("src/web", { recursive: true })
  .filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) =>
    [...readFileSync(`src/web/${path}`, "utf8").matchAll(/ from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(
      ([, name]) => name
    )
  )

/** Names of the packages that users get: dependencies and bundled packages, with all that they depend on. */
const shippedNames = () => {
  const entries = Object.entries(readJson("package-lock.json").packages)
  const shipped = new Set()
  const add = (name) => {
    if (shipped.has(name)) return
    shipped.add(name)
    for (const [path, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }] of entries) {
      if (!path.endsWith(`node_modules/${name}`)) continue
      const peers = Object.keys(peerDependencies ?? {}).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
      for (const next of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) add(next)
    }
  }
  for (const name of [...Object.keys(readJson("package.json").dependencies), ...bundled]) add(name)
  return shipped
}

const { stderr, stdout } = spawnSync("npm", ["audit", "--json"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
const report = stdout.trim() === "" ? { message: stderr } : JSON.parse(stdout)

if (report.vulnerabilities !== undefined) {
  // Dependents name their vulnerable package instead of an advisory.
  const severe = Object.values(report.vulnerabilities).filter(
    ({ severity, via }) => SEVERE.has(severity) && via.some(({ url }) => url !== undefined)
  )
  const shipped = shippedNames()
  const findings = severe.filter(({ name }) => shipped.has(name))
  for (const { name, range, severity, via } of findings) {
    const advisories = via.flatMap(({ url = [] }) => url).join(", ")
    print(`${severity}: ${name} ${range}, ${advisories}. Update it, or the package that requires it`)
  }
  print(`Audit: ${findings.length} findings in what users get, ${severe.length - findings.length} in tools`)
  process.exitCode = findings.length === 0 ? 0 : 1
} else if (NO_ENDPOINT.has(report.statusCode)) {
  print("Audit: skipped, because the registry has no audit endpoint")
} else {
  print(`Audit: failed. ${report.message ?? report.error?.summary}\nRepeat it when the registry is reachable`)
  process.exitCode = 1
}
