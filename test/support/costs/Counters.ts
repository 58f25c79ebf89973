import { Fiber, Layer, Scheduler } from "effect"

/** Work of the fibers of a service, in counts that do not depend on the machine. */
export interface Work {
  /** Effect operations that fibers ran. */
  readonly operations: number
  /** Spans that fibers ran in, without an exporter too. */
  readonly spans: number
  /** Calls whose stack was captured: those of `Effect.fn`, with a name or without. */
  readonly stacks: number
  /** Entries of maps that were copied, which are the services of contexts. */
  readonly copied: number
}

/** Counts the work of all fibers that run with it. Each operation calls `shouldYield`. */
class CountingScheduler extends Scheduler.MixedScheduler {
  readonly #seen = new WeakSet<object>()
  readonly #work = { operations: 0, spans: 0, stacks: 0, copied: 0 }

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    const { span, stackFrame } = fiber.cache
    this.#work.operations += 1
    if (this.#isNew(span)) this.#work.spans += 1
    if (this.#isNew(stackFrame)) this.#work.stacks += 1
    return super.shouldYield(fiber)
  }

  addCopied(entries: number): void {
    this.#work.copied += entries
  }

  get work(): Work {
    return { ...this.#work }
  }

  #isNew(value: object | undefined): boolean {
    if (value === undefined || this.#seen.has(value)) return false
    this.#seen.add(value)
    return true
  }
}

/** Makes a layer that counts the work of the services above it, and reads the counts. */
export const makeCounters = () => {
  const scheduler = new CountingScheduler()
  return { layer: Layer.succeed(Scheduler.Scheduler, scheduler), work: () => scheduler.work }
}

/**
 * Counts the entries of copied maps while `run` runs, for the scheduler of the fiber that copies them. The library has no
 * hook for a copy of a context, so the constructor of maps is wrapped.
 */
export const countingCopies = async <A>(run: () => Promise<A>): Promise<A> => {
  const { Map: original } = globalThis
  globalThis.Map = new Proxy(original, {
    construct: (target, args: ReadonlyArray<unknown>, newTarget) => {
      const [entries] = args
      if (entries instanceof original) {
        const scheduler = Fiber.getCurrent()?.cache.scheduler
        if (scheduler instanceof CountingScheduler) scheduler.addCopied(entries.size)
      }
      return Reflect.construct(target, args, newTarget)
    }
  })
  try {
    return await run()
  } finally {
    globalThis.Map = original
  }
}
