import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort, temporaryFolder } from "./Process.ts"
import { startProgram } from "./Programs.ts"

/** Ports of a server on this machine. */
export interface ServerPorts {
  readonly port: number
  readonly management: number
}

/** The shipped configuration for servers on this machine. */
const configuration = (port: number, servers: ReadonlyArray<ServerPorts>) =>
  readFileSync("deploy/haproxy/haproxy.cfg", "utf8")
    .replace("bind :80\n", `bind 127.0.0.1:${port}\n`)
    .replaceAll(/^ *server server-(\d).*\n/gm, (_, number: string) => {
      const server = servers[Number(number) - 1]
      return server === undefined
        ? ""
        : `  server server-${number} 127.0.0.1:${server.port} port ${server.management}\n`
    })

/** Starts haproxy before servers on this machine, and returns its URL. */
export const haproxy = Effect.fn(function* (
  servers: ReadonlyArray<ServerPorts>,
  adjust: (text: string) => string = (text) => text
) {
  const [folder, port] = [yield* temporaryFolder, yield* freePort]
  const file = join(folder, "haproxy.cfg")
  writeFileSync(file, adjust(configuration(port, servers)))
  const proxy = yield* startProgram("haproxy", ["-db", "-f", file])
  return { ...proxy, base: `http://127.0.0.1:${port}` }
})
