/** `npm run bench` starts this; it starts itself again as the processes around a server, which need nothing else. */
switch (process.argv[2]) {
  case "load": {
    const { serveLoad } = await import("./load.ts")
    serveLoad()
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
