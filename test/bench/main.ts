/** `npm run bench` starts this; it starts itself again as the load generator, which then needs nothing else. */
if (process.argv[2] === "load") {
  const { serveLoad } = await import("./load.ts")
  serveLoad()
} else {
  const { bench } = await import("./bench.ts")
  bench()
}
