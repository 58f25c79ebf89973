import { assert, it } from "@effect/vitest"
import { networkOf } from "../../src/domain/Network.ts"

it("an IPv4 address is counted by itself, an IPv6 address by its first 64 bits", () => {
  const networks = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"]
  ] as const
  for (const [address, network] of networks) assert.strictEqual(networkOf(address), network)
})
