import ipaddr from "ipaddr.js"

/**
 * The network that a client address is counted by: an IPv4 address by itself, an IPv6 address by its /64, because one
 * client has all addresses of a /64. An IPv4-mapped address counts as its IPv4 address; a text that is no address as
 * itself.
 */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : parsed.toString()
}
