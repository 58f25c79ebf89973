import { randomUUID } from "node:crypto"
import { sendAsStranger, sendConcurrently } from "./attackRequests.ts"

/** JSON of one text of a megabyte. */
const LONG = JSON.stringify({ email: "x".repeat(1_048_000) })

/** Requests without credentials. */
export const strangerAttacks = (port: number) => [
  {
    title: "strangers: 96 sign-ins, 32 at once",
    run: sendConcurrently(
      96,
      (n) => sendAsStranger(port, n, "/auth/sign-in", `{"email":"${randomUUID()}@bench.example","password":"wrong"}`),
      32
    )
  },
  ...[
    { path: "/auth/sign-up", what: "sign-up" },
    { path: "/oauth/register", what: "registration" },
    { path: "/api/platform/v1/products", what: "creates without a token" }
  ].map(({ path, what }) => ({
    title: `strangers: 600 bodies of 1 MiB, 16 at once: ${what}`,
    run: sendConcurrently(600, (n) => sendAsStranger(port, n, path, LONG), 16)
  }))
]
