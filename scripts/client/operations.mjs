import { comment, lowerFirst, upperFirst } from "./words.mjs"

/* The methods of the client, from the operations of the API's document. */

const PREFIX = "/api/platform/v1"

/** What a page is asked with, and nothing else. */
const PAGING = new Set(["cursor", "limit"])

const isPage = ({ properties }) => "nextCursor" in properties
const isRehearsal = ({ properties }) => "dryRun" in properties
const isAnswer = (form) => !isPage(form) && !isRehearsal(form)

const jsonIn = ({ content }) => content["application/json"].schema

/** The forms that the answer to a success has. */
const formsOf = ({ responses }) => {
  const [, success] = Object.entries(responses).find(([status]) => status < "300")
  const { anyOf, ...form } = jsonIn(success)
  return anyOf ?? [form]
}

/** What a dry run says beside the resource: of every write the same. */
export const rehearsalIn = (operations) => {
  const [{ properties, required }] = operations.flatMap(({ operation }) => formsOf(operation).filter(isRehearsal))
  const { data: _, ...foretold } = properties
  return { description: "What a write would lead to.", properties: foretold, required }
}

/** What is left of an operation's name without its verb, as in `createProduct`. */
const nounOf = ({ operationId }) => operationId.replace(/^[a-z]+/, "")

export const groupName = (tag) => tag.split(" ").map(upperFirst).join("")

/** The verb alone, where the noun is the group's. */
const methodName = (operation, tag) => {
  const noun = nounOf(operation)
  const isOwn = [groupName(tag), groupName(tag).replace(/s$/, "")].includes(noun)
  return isOwn ? operation.operationId.slice(0, -noun.length) : operation.operationId
}

/** What a write may be made with, by the headers that it takes. */
const OPTIONS = new Map([
  ["", "WriteOptions"],
  ["If-Match", "DeleteOptions"],
  ["X-Service-Event-Id", "CreateOptions"],
  ["If-Match X-Service-Event-Id", "UpdateOptions"]
])

/** The path as a template of the parameters in it. */
const template = (path) => `\`${path.slice(PREFIX.length).replace(/\{(\w+)\}/g, "${segment($1)}")}\``

const told = (parameters) => parameters.map(({ description, name }) => `@param ${name} ${lowerFirst(description)}`)

const shorthand = (parameters) => `{ ${parameters.map(({ name }) => name).join(", ")} }`

/** The methods of an operation. One that answers a page or a resource, as it is asked, has one for each. */
export const methodsOf = ({ method, operation, path }, tag, types, parameterAt) => {
  const parameters = operation.parameters.map((one) => (one.$ref === undefined ? one : parameterAt(one.$ref)))
  const placed = (place) => parameters.filter((one) => one.in === place)
  const inPath = placed("path")
  const query = placed("query")
  const forms = formsOf(operation)
  const page = forms.find(isPage)
  const answer = forms.find(isAnswer)
  const name = methodName(operation, tag)
  const statuses = Object.keys(operation.responses).filter((status) => status >= "400")

  const typed = (given) => given.map(({ name, schema }) => `${name}: ${types.typeOf(schema)}`)
  const failures = `@throws ApiError of status ${statuses.join(", ")}, or ConnectionError where no answer came`
  const words = (given) => comment([`${operation.summary}.`, operation.description], [...told(given), failures])

  /** What is left of what a delete names has a type of its own. */
  const dataOf = ({ properties: { data } }) =>
    data.$ref === undefined
      ? types.declare(`Deleted${nounOf(operation)}`, { ...data, description: "What is gone." })
      : types.typeOf(data)

  const list = () => {
    const [items] = Object.keys(page.properties)
    const asked = answer === undefined ? query : query.filter(({ name }) => PAGING.has(name))
    const queryType = types.declareQuery(`List${nounOf(operation)}Query`, asked)
    const given = [...typed(inPath), `query: ${queryType} = {}`, "options: CallOptions = {}"]
    return `${words(inPath)}list(${given.join(", ")}): Listing<${types.typeOf(page.properties[items].items)}> {
      return this.#api.list(${template(path)}, "${items}", { ...query }, options)
    }\n`
  }

  const read = () => {
    const asked = page === undefined ? query : query.filter(({ name }) => !PAGING.has(name))
    const all = [...inPath, ...asked]
    const given = [...typed(all), "options: CallOptions = {}"]
    return `${words(all)}${name}(${given.join(", ")}): Promise<Answer<${dataOf(answer)}>> {
      return this.#api.read(${template(path)}, ${shorthand(asked)}, options)
    }\n`
  }

  const write = () => {
    const headers = new Set(placed("header").map(({ name }) => name))
    const conditions = ["If-Match", "X-Service-Event-Id"].filter((header) => headers.has(header))
    const options = OPTIONS.get(conditions.join(" "))
    const all = [...inPath, ...query]
    const body = operation.requestBody === undefined ? [] : [lowerFirst(nounOf(operation))]
    const given = [...typed(all), ...body.map((name) => `${name}: ${types.typeOf(jsonIn(operation.requestBody))}`)]
    const data = dataOf(answer)
    const rehearsed = `${operation.summary}, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.`
    const sent = [`"${method.toUpperCase()}"`, template(path), shorthand(query), "options", ...body]
    return `${words(all)}${name}(${[...given, `options?: ${options}`].join(", ")}): Promise<Answer<${data}>>
    ${comment([rehearsed], told(all))}${name}(${[...given, `options: DryRun<${options}>`].join(", ")}): Promise<Rehearsed<${data}>>
    ${name}(${[...given, `options: ${options} | DryRun<${options}> = {}`].join(", ")}) {
      return this.#api.write<${data}>(${sent.join(", ")})
    }\n`
  }

  if (method !== "get") return [write()]
  return [...(page === undefined ? [] : [list()]), ...(answer === undefined ? [] : [read()])]
}
