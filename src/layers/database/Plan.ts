import { Option, type Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { Step } from "../../domain/Write.ts"
import type { Statement } from "./Statement.ts"

/** What the database said to a statement. */
export interface Answer {
  readonly command: string
  readonly rows: ReadonlyArray<unknown>
  /** Rows that were read, or written. */
  readonly count: number
}

/** A statement that a write waits for. */
export class Ask extends Step {
  answer: Answer = { command: "", rows: [], count: 0 }
  /** Whether it was given up because it took longer than it was given. */
  isTooLong = false
  readonly statement: Statement
  /** Milliseconds that it may take, where that is less than any statement may. */
  readonly millis: number | undefined

  constructor(statement: Statement, millis?: number) {
    super()
    this.statement = statement
    this.millis = millis
  }
}

/** A statement that only has to be done when the transaction commits: it goes out with the COMMIT. */
export class Leave extends Step {
  readonly statement: Statement

  constructor(statement: Statement) {
    super()
    this.statement = statement
  }
}

/** Statements that are sent on the spot, while the write goes on. When one of them fails, the write does. */
export class Ahead extends Step {
  readonly statements: ReadonlyArray<Statement>

  constructor(statements: ReadonlyArray<Statement>) {
    super()
    this.statements = statements
  }
}

/** What is done once the transaction is committed, and not at all when it is not. */
export class AfterCommit extends Step {
  readonly action: () => void

  constructor(action: () => void) {
    super()
    this.action = action
  }
}

/** A part of a write: steps, and what they come to. */
export type Steps<A, Y = Step> = Generator<Y | Step, A, unknown>

/** Asks for the answer to a statement. */
export function* answerOf(statement: Statement): Steps<Answer> {
  const ask = new Ask(statement)
  yield ask
  return ask.answer
}

/** Asks for the number of rows that a statement found or changed. */
export function* countOf(statement: Statement): Steps<number> {
  return (yield* answerOf(statement)).count
}

/** Asks for the first row of a statement, if there is one. */
export const firstOf = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = compileTrustedDecoder(row)
  return function* (statement: Statement): Steps<Option.Option<A>> {
    const {
      rows: [first]
    } = yield* answerOf(statement)
    return first === undefined ? Option.none() : Option.some(decode(first))
  }
}

/** The same of a statement that may take `millis`: none when it took longer, and then the write can only be refused. */
export const firstWithin = <A, I>(row: Schema.Codec<A, I>, millis: number) => {
  const decode = compileTrustedDecoder(row)
  return function* (statement: Statement): Steps<Option.Option<A>> {
    const ask = new Ask(statement, millis)
    yield ask
    return ask.isTooLong ? Option.none() : Option.some(decode(ask.answer.rows[0]))
  }
}

/** Sends statements ahead: the database works on them while the write makes the next ones. */
export function* ahead(...statements: ReadonlyArray<Statement>): Steps<void> {
  if (statements.length > 0) yield new Ahead(statements)
}

/** Lets other requests go on: a write that works on much does it in parts, with a turn between two of them. */
export function* anotherTurn(): Steps<void> {
  yield new Ahead([])
}

/** Leaves statements to the commit. */
export function* leave(...statements: ReadonlyArray<Statement>): Steps<void> {
  for (const statement of statements) yield new Leave(statement)
}
