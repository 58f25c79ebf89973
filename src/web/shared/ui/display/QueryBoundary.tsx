import { Link, useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect } from "react"
import { errorMessageOf } from "../../data/errorMessages.ts"
import { uiTexts } from "../../sharedTexts.ts"
import { Button } from "../form/Button.tsx"
import { Page } from "../layout/Page.tsx"
import css from "./Display.module.css"

/** Placeholder for missing content, with the next action. */
export const EmptyState = ({ children, title }: { readonly children?: ReactNode; readonly title: string }) => (
  <div className={css["empty"]}>
    <p className={css["noticeTitle"]}>{title}</p>
    {children}
  </div>
)

interface ErrorNoticeProps {
  readonly error: unknown
  /** Repeats the failed request. */
  readonly retry?: (() => void) | undefined
}

/** Error message with advice. */
export const ErrorNotice = ({ error, retry }: ErrorNoticeProps) => {
  const { advice, requestId, title } = errorMessageOf(error)
  return (
    <div className={css["error"]} role="alert">
      <p className={css["noticeTitle"]}>{title}</p>
      <p>{advice}</p>
      {requestId === undefined ? undefined : (
        <p>
          {uiTexts.query.requestId} <code>{requestId}</code>
        </p>
      )}
      {retry === undefined ? undefined : <Button onClick={retry}>{uiTexts.query.tryAgain}</Button>}
    </div>
  )
}

/** Placeholder that reserves space, so that the layout does not shift. */
export const Loading = ({ lines = 5 }: { readonly lines?: number }) => (
  <output className={css["loading"]} aria-label={uiTexts.query.loading}>
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
 * Shows the loading, error and success states of a query. If a refetch fails, the data stays visible below the error.
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

const reload = () => location.reload()

/** Error boundary of a route. Loads the page again when the browser is online again. */
export const ErrorPage = ({ error }: { readonly error: unknown }) => {
  useEffect(() => {
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [])
  return (
    <Page title={uiTexts.errorPage.error}>
      <ErrorNotice error={error} retry={reload} />
    </Page>
  )
}

/** Shown for unknown addresses and for resources without access. */
export const NotFoundPage = () => {
  const isPortal = useLocation().pathname.startsWith("/developers")
  return (
    <Page title={uiTexts.errorPage.notFound}>
      <EmptyState title={uiTexts.errorPage.notFoundReason}>
        <Link to={isPortal ? "/developers" : "/dashboard"}>{uiTexts.errorPage.start}</Link>
      </EmptyState>
    </Page>
  )
}
