import { decode, encode, RECURSION_DESIRED, RECURSION_AVAILABLE, type Answer } from "dns-packet"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { promises } from "node:dns"

/** Addresses of a name by type (A or AAAA) and number of earlier queries. */
export type Zone = (name: string, type: string, earlier: number) => ReadonlyArray<Answer>

/** A name server on loopback, and a resolver that uses only it. */
export const nameServer = (zone: Zone) =>
  Effect.gen(function* () {
    const queries: Array<string> = []
    const socket = createSocket("udp4")
    socket.on("message", (message, { address, port }) => {
      const { id, questions = [] } = decode(message)
      const [question] = questions
      if (question === undefined) return
      const key = `${question.type} ${question.name}`
      const answers = zone(question.name, question.type, queries.filter((one) => one === key).length)
      queries.push(key)
      const flags = RECURSION_DESIRED | RECURSION_AVAILABLE
      socket.send(encode({ type: "response", id, flags, questions, answers: [...answers] }), port, address)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        socket.bind(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => socket.close())
    )
    const resolver = new promises.Resolver({ timeout: 500, tries: 1 })
    resolver.setServers([`127.0.0.1:${socket.address().port}`])
    return { resolver, queries }
  })
