import { makePool } from "./database.ts"
import { makeServer } from "./server.ts"
import { setting } from "./settings.ts"
import { TABLES } from "./tables.ts"

const pool = makePool(setting("DATABASE_URL"), Number(setting("DATABASE_POOL_SIZE")))
await pool.query(TABLES)
const app = makeServer(pool)
await app.listen({ host: setting("HOST"), port: Number(setting("PORT")) })

process.on("SIGTERM", () => {
  void app.close().then(() => pool.end())
})
