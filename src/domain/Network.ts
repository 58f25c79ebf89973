import ipaddr from "ipaddr.js"

/**
 * Returns the network under which a client address is counted: an IPv4 address itself, or the /64 of an IPv6 address,
 * because one client owns all addresses of a /64. IPv4-mapped addresses count as IPv4. Text that is not an address is
 * returned unchanged.
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
