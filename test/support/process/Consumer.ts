import { Effect } from "effect"
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { buildOnce, temporaryFolder } from "./Process.ts"

export const execute = promisify(execFile)

/** A package in a temporary folder that depends on the built package and on `beside`. */
export const consumer = Effect.fn(function* (...beside: ReadonlyArray<string>) {
  yield* buildOnce
  const path = yield* temporaryFolder
  for (const name of ["partner-api", ...beside]) {
    const link = join(path, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(name === "partner-api" ? process.cwd() : join(process.cwd(), "node_modules", name), link)
  }
  writeFileSync(join(path, "package.json"), '{ "type": "module" }')
  return path
})

/** Compiler options of the package. */
export const settings = (file: string, { lib = "es2022", skipLibCheck = false } = {}) => ({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck,
    noEmit: true,
    target: "es2022",
    lib: [lib, "dom", "dom.iterable"],
    types: [],
    module: "nodenext"
  },
  files: [file]
})

/** Compiles a file and returns the diagnostics. */
export const compiled = Effect.fn(function* (path: string, text: string, how?: Parameters<typeof settings>[1]) {
  writeFileSync(join(path, "consumer.ts"), text)
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify(settings("consumer.ts", how)))
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc")
  return yield* Effect.promise(() =>
    execute(process.execPath, [tsc, "-p", path]).then(
      () => "",
      (error: unknown) => JSON.stringify(error)
    )
  )
})

/** Bundles a file for browsers and returns its inputs and its gzipped size in KiB. */
export const bundled = Effect.fn(function* (path: string, text: string) {
  writeFileSync(join(path, "consumer.ts"), text)
  const { metafile, outputFiles } = yield* Effect.promise(() =>
    build({
      absWorkingDir: path,
      entryPoints: ["consumer.ts"],
      bundle: true,
      format: "esm",
      metafile: true,
      minify: true,
      // Modules of Node and missing modules do not resolve and fail the build.
      platform: "browser",
      write: false
    })
  )
  return { metafile, kibibytes: gzipSync(outputFiles[0]?.text ?? "").length / 1024 }
})
