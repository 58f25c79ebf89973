import type { ReactNode } from "react"
import { errorMessageOf } from "../data/errorMessages.ts"
import { Button } from "./Button.tsx"
import css from "./QueryBoundary.module.css"

/** What stands where nothing is yet, and what to do about it. */
export const EmptyState = ({ children, title }: { readonly children?: ReactNode; readonly title: string }) => (
  <div className={css["empty"]}>
    <p className={css["title"]}>{title}</p>
    {children}
  </div>
)

interface ErrorNoticeProps {
  readonly error: unknown
  /** Does again what failed. */
  readonly retry?: (() => void) | undefined
}

/** What went wrong, and what to do. */
export const ErrorNotice = ({ error, retry }: ErrorNoticeProps) => {
  const { advice, requestId, title } = errorMessageOf(error)
  return (
    <div className={css["error"]} role="alert">
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

interface QueryState<A> {
  readonly data: A | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/**
 * What was asked for: while it is on its way, when it failed, and when it is there. What is there stays when asking anew
 * fails, with the failure above it.
 */
export const QueryBoundary = <A,>({
  query: { data, error, refetch },
  children,
  lines
}: {
  readonly query: QueryState<A>
  readonly children: (data: A) => ReactNode
  readonly lines?: number
}) => (
  <>
    {error === null || error === undefined ? undefined : <ErrorNotice error={error} retry={() => void refetch()} />}
    {data === undefined ? error === null && <Loading {...(lines === undefined ? {} : { lines })} /> : children(data)}
  </>
)
