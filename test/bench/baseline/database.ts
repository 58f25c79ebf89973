import Pg from "pg"

/** Decodes amounts as numbers. The driver's default is text. */
Pg.types.setTypeParser(Pg.types.builtins.NUMERIC, Number)

/** Makes a pool. It replaces broken idle connections, so their errors are ignored. */
export const makePool = (url: string, max: number): Pg.Pool =>
  new Pg.Pool({ connectionString: url, max }).on("error", () => {})

/** Runs `body` in one transaction: committed when it returns, rolled back when it throws. */
export const inTransaction = async <A>(pool: Pg.Pool, body: (client: Pg.PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await body(client)
    await client.query("commit")
    client.release()
    return result
  } catch (error) {
    await client.query("rollback").then(
      () => client.release(),
      () => client.release(true)
    )
    throw error
  }
}
