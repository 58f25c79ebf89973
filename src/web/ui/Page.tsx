import { type ReactNode, useEffect, useRef } from "react"
import css from "./Page.module.css"

interface PageProps {
  readonly title: string
  /** What stands above the title: the way back, as a link. */
  readonly above?: ReactNode
  /** What can be done with all of it. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** As wide as there is room, for tables. */
  readonly isWide?: boolean
}

/** A page under its title, which is what the tab is called and where the focus goes when the page is opened. */
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
  readonly children: ReactNode
}

/** A part of a page. */
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

/** Names and what stands for them, as of a product: a list of pairs. */
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

/** Things one below the other, with the room between them that a page's parts have. */
export const Stack = ({ children }: { readonly children: ReactNode }) => <div className={css["stack"]}>{children}</div>

/** Things beside each other, as the buttons of a form. */
export const Row = ({ children }: { readonly children: ReactNode }) => <div className={css["row"]}>{children}</div>

/** Text of less weight. */
export const MutedText = ({ children }: { readonly children: ReactNode }) => <p className={css["quiet"]}>{children}</p>
