import type { ReactNode } from "react"
import { problemOf } from "../data/Problem.ts"
import { Button } from "./Button.tsx"
import css from "./States.module.css"

/** What stands where nothing is yet, and what to do about it. */
export const Empty = ({ children, title }: { readonly children?: ReactNode; readonly title: string }) => (
  <div className={css["empty"]}>
    <p className={css["title"]}>{title}</p>
    {children}
  </div>
)

interface TroubleProps {
  readonly error: unknown
  /** Does again what failed. */
  readonly retry?: (() => void) | undefined
}

/** What went wrong, and what to do. */
export const Trouble = ({ error, retry }: TroubleProps) => {
  const { advice, requestId, title } = problemOf(error)
  return (
    <div className={css["trouble"]} role="alert">
      <p className={css["title"]}>{title}</p>
      <p>{advice}</p>
      {requestId === undefined ? undefined : (
        <p>
          Request ID <code>{requestId}</code>
        </p>
      )}
      {retry === undefined ? undefined : <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

/** What takes the room of what is on its way, so that nothing moves when it comes. */
export const Loading = ({ lines = 5 }: { readonly lines?: number }) => (
  <output className={css["loading"]} aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} />
    ))}
  </output>
)

interface Asked<A> {
  readonly data: A | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/**
 * What was asked for: while it is on its way, when it failed, and when it is there. What is there stays when asking anew
 * fails, with the failure above it.
 */
export const Answered = <A,>({
  asked: { data, error, refetch },
  children,
  lines
}: {
  readonly asked: Asked<A>
  readonly children: (data: A) => ReactNode
  readonly lines?: number
}) => (
  <>
    {error === null || error === undefined ? undefined : <Trouble error={error} retry={() => void refetch()} />}
    {data === undefined ? error === null && <Loading {...(lines === undefined ? {} : { lines })} /> : children(data)}
  </>
)
