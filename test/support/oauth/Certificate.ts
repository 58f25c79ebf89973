import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { isIP } from "node:net"

/** Encodes an element of ASN.1 DER: tag, length and content (X.690, section 8.1). */
const element = (tag: number, ...inside: ReadonlyArray<Uint8Array>) => {
  const content = Buffer.concat(inside)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...inside: ReadonlyArray<Uint8Array>) => element(0x30, ...inside)
const oid = (hex: string) => element(0x06, Buffer.from(hex, "hex"))
const time = (millis: number) =>
  element(0x17, Buffer.from(`${new Date(millis).toISOString().slice(2, 19).replace(/[-T:]/g, "")}Z`))

const COMMON_NAME = oid("550403")
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"))
const SUBJECT_ALT_NAME = oid("551d11")
const DAY = 86_400_000

const altName = (host: string) =>
  isIP(host) === 4 ? element(0x87, Buffer.from(host.split(".").map(Number))) : element(0x82, Buffer.from(host))

/** Self-signed certificate of `host` and its key, as PEM. Valid from yesterday until `days` from now. */
export const selfSigned = (host: string, days = 1): { readonly cert: string; readonly key: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(host)))))
  const tbs = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(Date.now() - 30 * DAY), time(Date.now() + days * DAY)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(sequence(SUBJECT_ALT_NAME, element(0x04, sequence(altName(host))))))
  )
  const signature = element(0x03, Buffer.from([0]), sign("sha256", tbs, privateKey))
  const base64 = sequence(tbs, ECDSA_WITH_SHA256, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
