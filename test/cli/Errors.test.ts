import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createApp, cli, createStore } from "../support/process/Cli.ts"
import { makeMigratedDatabase, rowsOf } from "../support/process/Process.ts"

const NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Invocations with wrong usage and their error line. `STORE` and `APP` are replaced by the ids of an existing store and app. */
const mistakes: ReadonlyArray<readonly [string, RegExp]> = [
  ["stores create --name Shop --plan free --currency XXY", /--currency: must be a current currency code of ISO 4217/],
  ["stores create --name Shop --plan free", /--currency/],
  ["stores create --plan free --currency EUR", /--name/],
  ["stores create --name Shop --plan free --currency EUR --timezone Berlin", /--timezone: must be a time zone/],
  ["stores create --name Shop --plan free --currency EUR --country UK", /--country: must be a country code/],
  ["stores create --name Shop --plan free --currency EUR --locale de_DE", /--locale: must be a language tag/],
  ["stores create --name Shop --plan free --currency EUR --domain shop", /--domain: must be a host name/],
  ["stores create --name Shop --plan free --currency EUR --weight-unit stone", /--weight-unit|kg, g, lb, oz/],
  ["stores create --name  --plan free --currency EUR", /--name: must not be empty/],
  ["apps create --name App", /--scope/],
  ["apps create --name App --scope read_everything", /one of .*read_products, write_products/],
  ["apps create --name App --scope read_products --capability root", /one of .*app_storage, customer_pii/],
  ["installations create --store shop --app APP --scope read_products", /--store: must be a UUID/],
  ["installations create --store STORE --app app --scope read_products", /--app: must be a UUID/],
  ["installations create --store STORE --app APP", /--scope/],
  ["installations suspend shop", /installation: must be a UUID/],
  ["installations uninstall", /installation/],
  ["installations list", /Give --store, --app or both/],
  ["stores delete", /store/],
  ["stores list --limit 0", /--limit/],
  ["plans create --name tiny --products -1 --collections 1", /--products/],
  ["plans create --name tiny --products  --collections 1", /--products: must be a whole number/],
  ["plans create --name tiny --products 1", /--collections/],
  ["migrate --force", /--force/],
  ["destroy", /migrate/]
]

/** Well-formed invocations that fail, and their error line. */
const failures: ReadonlyArray<readonly [string, RegExp]> = [
  ["stores create --name Shop --plan gold --currency EUR", /Plan gold was not found; choose one of free/],
  [`installations create --store STORE --app ${NOBODY} --scope read_products`, /App \S+ was not found/],
  [`installations create --store ${NOBODY} --app APP --scope read_products`, /Store \S+ was not found/],
  ["installations create --store STORE --app APP --scope write_products", /does not declare write_products/],
  [
    "installations create --store STORE --app APP --scope read_products --capability app_storage",
    /does not declare app_storage/
  ],
  [`installations suspend ${NOBODY}`, new RegExp(`Installation ${NOBODY} was not found`)],
  [`installations token ${NOBODY}`, /Installation .* was not found or is uninstalled/],
  [`installations list --app ${NOBODY}`, /App .* was not found; check the id in the list of apps/],
  [`stores delete ${NOBODY}`, /list the stores with: stores list/],
  ["stores set-plan STORE --plan gold", /Plan gold was not found; choose one of free/],
  ["plans create --name free --products 1 --collections 1", /Plan free already exists; choose another name/]
]

it.live(
  "an invalid invocation prints one error line, exits with 2, or 1 if its usage is right, and changes nothing",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const { storeId } = yield* createStore(url)
      const { appId } = yield* createApp(url, "read_products")
      const state = rowsOf(
        client,
        "select (select count(*) from stores) as s, (select count(*) from apps) as a, (select count(*) from installations) as i"
      )
      const before = yield* state
      for (const [invocation, line] of [...mistakes, ...failures]) {
        const args = invocation.replace("STORE", storeId).replace("APP", appId).split(" ")
        const { code, stderr, stdout } = yield* cli(url, ...args)
        assert.deepStrictEqual(
          { invocation, code, stdout },
          { invocation, code: mistakes.some(([mistake]) => mistake === invocation) ? 2 : 1, stdout: "" }
        )
        assert.match(stderr, /^partner-api: [^\n]+\n$/, invocation)
        assert.match(stderr, line, invocation)
        assert.notInclude(stderr, "\u001b", invocation)
        assert.notMatch(stderr, /\[object|\.[jt]s:\d|undefined/, invocation)
      }
      assert.deepStrictEqual(yield* state, before)
    })
)

it.live("an unreachable database prints one error line without its password", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* cli("postgres://user:hunter2@127.0.0.1:1/db", "plans", "list")
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /^partner-api: [^\n]+\n$/)
    assert.notInclude(stderr, "hunter2")
  })
)
