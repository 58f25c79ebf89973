/** Entry point of `npm run bench`. It also runs as the child processes of a benchmark, by its first argument. */
switch (process.argv[2]) {
  case "load": {
    const { runLoadGenerator } = await import("./load/loadGenerator.ts")
    runLoadGenerator()
    break
  }
  case "write": {
    const { serveWriter } = await import("./webhooks/writer.ts")
    serveWriter()
    break
  }
  case "receive": {
    const { serveReceiver } = await import("./webhooks/receiver.ts")
    serveReceiver()
    break
  }
  case "graphile": {
    const { serveGraphile } = await import("./webhooks/graphile.ts")
    serveGraphile()
    break
  }
  default: {
    const { bench } = await import("./bench.ts")
    bench()
  }
}
