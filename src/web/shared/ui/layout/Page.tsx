import { type ReactNode, useEffect, useRef } from "react"
import css from "./Page.module.css"

interface PageProps {
  readonly title: string
  /** Content above the title: a link to the parent page. */
  readonly above?: ReactNode
  /** Buttons that apply to the whole page. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Uses the full width, for tables. */
  readonly isWide?: boolean
}

/** Page with a heading. Sets the document title and moves the focus to the heading. */
export const Page = ({ above, actions, children, isWide = false, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={isWide ? css["wide"] : css["page"]}>
      {above}
      <header className={css["header"]}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions === undefined ? undefined : <div className={css["actions"]}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export const Card = ({ actions, children, title }: CardProps) => (
  <section className={css["card"]}>
    {title === undefined && actions === undefined ? undefined : (
      <header className={css["header"]}>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** List of name and value pairs. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className={css["facts"]}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

interface StackProps {
  readonly children: ReactNode
  /** Gives its cards less weight than those of the main content. */
  readonly isSecondary?: boolean
}

/** Vertical layout with the spacing of page sections. */
export const Stack = ({ children, isSecondary = false }: StackProps) => (
  <div className={css[isSecondary ? "secondary" : "stack"]}>{children}</div>
)

/** Horizontal layout, for example for the buttons of a form. */
export const Row = ({ children }: { readonly children: ReactNode }) => <div className={css["row"]}>{children}</div>

export const MutedText = ({ children }: { readonly children: ReactNode }) => <p className={css["quiet"]}>{children}</p>

/** Section on a warning background. As an alert, screen readers announce it. */
export const WarningBox = ({
  children,
  isAlert = false
}: {
  readonly children: ReactNode
  readonly isAlert?: boolean
}) => (
  <div className={css["warning"]} role={isAlert ? "alert" : undefined}>
    {children}
  </div>
)
