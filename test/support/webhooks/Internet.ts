import { Layer } from "effect"
import { createSecureContext } from "node:tls"
import { Internet } from "../../../src/layers/webhooks/Outgoing.ts"
import { selfSigned } from "../oauth/Certificate.ts"
import { type Respond, receiver } from "./Receiver.ts"

const HOST = "hooks.example.com"

const TLS = selfSigned(HOST)

/** An internet in which every name resolves to this machine, and which trusts the test host. */
export const InternetHere = Layer.succeed(Internet, {
  lookup: (_, { all }, callback) =>
    all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
  secureContext: createSecureContext({ ca: TLS.cert })
})

/** An https endpoint in that internet. */
export const publicReceiver = (react?: Respond) => receiver(react, { host: HOST, ...TLS })
