import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"

it("lint-commits checks subjects for type, length and full stop", () => {
  const check = `
    import { problemsOf } from "./scripts/lint-commits.mjs"
    process.stdout.write(JSON.stringify(process.argv.slice(1).map((subject) => problemsOf(subject).length)))
  `
  const subjects = [
    "feat(webhooks): retry after 429",
    "fix!: drop the header",
    "Retry after 429",
    "chore: update packages",
    "docs: describe the window.",
    `docs: ${"long ".repeat(20)}`
  ]
  const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", check, ...subjects], {
    encoding: "utf8"
  })
  assert.strictEqual(stdout, "[0,0,1,1,1,1]", stderr)
})
