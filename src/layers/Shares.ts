import { type Duration, Effect } from "effect"

interface Ticket {
  readonly cost: number
  hasSlot: boolean
  /** Starts the work when it gets a slot. */
  start: () => void
}

/** Work of an owner. */
interface Share {
  /** Start of its next work in the virtual time of the pool. */
  next: number
  running: number
  /** In order of arrival. */
  readonly waiting: Array<Ticket>
}

/** Size of a pool, and error of work that gets no slot. */
interface PoolLimits<E> {
  readonly slots: number
  /** Maximum cost of work that may take the last free slot. */
  readonly cheap: number
  /** Maximum work of an owner that runs or waits, and of all. */
  readonly maxOfOwner: number
  readonly max: number
  readonly maxWait: Duration.Input
  readonly busy: () => E
}

/**
 * Shares the slots of a pool among owners, such as stores, by the cost of their work. A free slot goes to the owner with
 * the least cost so far (start-time fair queueing): work of an owner does not wait for what others have in the queue. Work
 * that runs is not stopped, so the last free slot is for cheap work.
 */
export const makeShares = <Owner, E>({ busy, cheap, max, maxOfOwner, maxWait, slots }: PoolLimits<E>) => {
  const shares = new Map<Owner, Share>()
  let running = 0
  let all = 0
  /** Start of the last work in virtual time. An owner that comes now begins there. */
  let now = 0

  const canRun = ({ cost }: Ticket) => running + 1 < slots || (running < slots && (slots === 1 || cost <= cheap))

  const run = (share: Share, ticket: Ticket) => {
    share.waiting.splice(share.waiting.indexOf(ticket), 1)
    now = Math.max(now, share.next)
    share.next += ticket.cost
    share.running++
    running++
    ticket.hasSlot = true
    ticket.start()
  }

  /** Starts the work that can run, of the owner with the least cost first. */
  const startReady = (): void => {
    let first: { readonly share: Share; readonly ticket: Ticket } | undefined
    for (const share of shares.values()) {
      if (first !== undefined && first.share.next <= share.next) continue
      const ticket = share.waiting.find(canRun)
      if (ticket !== undefined) first = { share, ticket }
    }
    if (first === undefined) return
    run(first.share, first.ticket)
    startReady()
  }

  const enter = (owner: Owner) => {
    const share = shares.get(owner) ?? { next: now, running: 0, waiting: [] }
    if (all >= max || share.running + share.waiting.length >= maxOfOwner) return undefined
    // Time without waiting work is not saved up.
    if (share.waiting.length === 0) share.next = Math.max(share.next, now)
    shares.set(owner, share)
    all++
    return share
  }

  return <A, E2, R>(owner: Owner, cost: number, work: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.uninterruptibleMask((restore): Effect.Effect<A, E | E2, R> => {
      const share = enter(owner)
      if (share === undefined) return Effect.fail(busy())
      const ticket: Ticket = { cost, hasSlot: false, start: () => {} }
      share.waiting.push(ticket)
      const slot = Effect.callback<void>((resume) => {
        ticket.start = () => resume(Effect.void)
        if (ticket.hasSlot) ticket.start()
        else startReady()
      }).pipe(Effect.timeoutOrElse({ duration: maxWait, orElse: () => Effect.fail(busy()) }))
      const leave = Effect.sync(() => {
        if (ticket.hasSlot) {
          share.running--
          running--
        } else share.waiting.splice(share.waiting.indexOf(ticket), 1)
        all--
        if (share.running === 0 && share.waiting.length === 0) shares.delete(owner)
        startReady()
      })
      return Effect.ensuring(restore(Effect.andThen(slot, work)), leave)
    })
}
