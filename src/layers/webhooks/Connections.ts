import type { Socket } from "node:net"
import { Client } from "undici"
import type { Connector } from "./Connector.ts"
import { MAX_HEADER_BYTES, skipInformational } from "./Informational.ts"

/** Milliseconds that a connection waits for the next request to its origin, if the receiver does not say less. */
const IDLE_MILLIS = 4000

/** Connections that wait at once, of all origins together; one more is closed after its request. */
const MAX_IDLE = 512

/** A connection to one origin, for one request at a time. */
export interface Connection {
  readonly dispatch: Client["dispatch"]
  /** Keeps it for the next request, after an answer that was complete. */
  readonly release: () => void
  /** Closes its socket at once, also one that is still connecting. */
  readonly destroy: () => void
}

export interface Connections {
  /** One to `origin` that waits, or a new one, which connects as soon as it gets its request. */
  readonly take: (origin: string) => Connection
  readonly destroyAll: () => void
}

/**
 * HTTP/1.1 connections, kept by origin. An undici `Client` each, and not its `Agent`: that one cannot take back a
 * request that waits for its connection, and opens sockets that belong to no request in particular. Here a request owns
 * its socket from the lookup on, and what nobody uses is forgotten with its last socket.
 */
export const makeConnections = (connector: Connector): Connections => {
  const all = new Set<Connection>()
  const idle = new Map<string, Array<Connection>>()
  let idleCount = 0

  const take = (origin: string): Connection | undefined => {
    const waiting = idle.get(origin)
    const connection = waiting?.pop()
    if (waiting?.length === 0) idle.delete(origin)
    if (connection !== undefined) idleCount -= 1
    return connection
  }

  const open = (origin: string): Connection => {
    let socket: Socket | undefined
    let expectAnswer: (() => void) | undefined
    const client = new Client(origin, {
      connect: (options, callback) => {
        socket = connector(options, callback)
        expectAnswer = skipInformational(socket)
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MILLIS,
      keepAliveMaxTimeout: IDLE_MILLIS,
      // The sender has one limit for all of a request.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    const connection: Connection = {
      dispatch: (options, handler) => {
        expectAnswer?.()
        return client.dispatch(options, handler)
      },
      release: () => {
        if (idleCount === MAX_IDLE) return connection.destroy()
        const waiting = idle.get(origin)
        if (waiting === undefined) idle.set(origin, [connection])
        else waiting.push(connection)
        idleCount += 1
      },
      destroy: () => {
        all.delete(connection)
        void client.destroy()
        socket?.destroy()
      }
    }
    client.on("disconnect", () => {
      const waiting = idle.get(origin) ?? []
      const place = waiting.indexOf(connection)
      if (place === -1) return
      waiting.splice(place, 1)
      if (waiting.length === 0) idle.delete(origin)
      idleCount -= 1
      connection.destroy()
    })
    all.add(connection)
    return connection
  }

  return {
    take: (origin) => take(origin) ?? open(origin),
    destroyAll: () => {
      idle.clear()
      idleCount = 0
      for (const connection of all) connection.destroy()
    }
  }
}
