import type {
  Contract,
  Operation,
  OperationResponse,
  ResponseHeader,
} from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { isRow } from '../row.ts'
import type { Answer } from '../service/answer.ts'
import { parseJson } from '../service/json.ts'
import { deprecationFacts } from './deprecation.ts'
import { clauseOf, type Fact, factOf, type Judged, type Judgement } from './fact.ts'
import { eachOf, fault, isOf } from './judge.ts'

/** What the answers to an operation's requests have to be, whatever was asked. They are judged at the end. */
export function answerFacts(contract: Contract): Judged[] {
  return [
    ...contract.operations.flatMap((operation) => [
      ...operation.responses.flatMap((response) => responseFacts(operation, response)),
      ...deprecationFacts(operation),
    ]),
    serverFact(),
    ...errorFacts(contract),
  ]
}

function responseFacts(operation: Operation, response: OperationResponse): Judged[] {
  const { status, validate, schema, decision, bodyDecision } = response
  const clause = status < 400 ? clauseOf(operation) : (CLAUSES[status] ?? 'Errors')
  const isOpen = decision || bodyDecision
  const more: Partial<Fact> = { clause, ...(isOpen && { decision: true }) }
  const each = (judge: (answer: Answer) => Judgement): Judged['judge'] =>
    eachOf((answer) => isOf(operation, answer) && answer.status === status, judge)
  const fact = (id: string, what: string, judge: (answer: Answer) => Judgement): Judged =>
    factOf(operation, `${status}${id}`, `answers ${status} ${what}`, each(judge), more)
  const inJson = { ...fact('/type', 'as JSON', isJson), clause: 'What the service does' }
  const elsewhere = operation.deprecation ? /^(X-RateLimit-.*|Deprecation|Sunset|Link)$/i : QUOTA
  const headers = (response.headers ?? []).filter(
    ({ name, required }) => required && !elsewhere.test(name),
  )

  return [
    ...(validate && schema
      ? [
          fact('/body', 'with a body as the document gives it', (one) => hasBody(one, validate)),
          inJson,
        ]
      : []),
    ...(schema && status >= 400 && propertiesOf(schema).has('status')
      ? [fact('/status', 'and says so in the body as well', repeats)]
      : []),
    ...headers.map((header) => {
      const open: Partial<Fact> = decision || header.decision ? { decision: true } : {}
      return factOf(
        operation,
        `${status}/${header.name}`,
        `answers ${status} with ${header.name}`,
        each((answer) => hasHeader(answer, header)),
        { clause, ...open },
      )
    }),
  ]
}

const QUOTA = /^X-RateLimit-/i

/** Where the specification tells of a status. */
const CLAUSES: Readonly<Record<number, string>> = {
  401: 'Authentication, 4',
  429: 'Limits, Behaviour on exceeding',
}

function hasHeader(answer: Answer, { name, validate, schema }: ResponseHeader): Judgement {
  const text = answer.headers.get(name)
  if (text === null) return fault(answer, `the header ${name}`, 'it is missing')
  // It may be a date as well (RFC 9110, section 10.2.3).
  const isDate = /^retry-after$/i.test(name) && /[a-z]/i.test(text)
  if (isDate && !Number.isNaN(Date.parse(text))) return 'passed'
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const value = isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

  return validate(value)
    ? 'passed'
    : fault(answer, describeErrors(name, validate.errors ?? []), `${name}: ${text}`)
}

function hasBody(answer: Answer, validate: NonNullable<OperationResponse['validate']>): Judgement {
  const value = parseJson(answer.text)
  if (value === undefined) return fault(answer, 'a JSON body')
  if (validate(value)) return 'passed'
  return fault(answer, describeErrors('body', validate.errors ?? []))
}

function isJson(answer: Answer): Judgement {
  const type = answer.headers.get('Content-Type') ?? 'no Content-Type'
  return /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type)
    ? 'passed'
    : fault(answer, 'Content-Type: application/json', type)
}

function repeats(answer: Answer): Judgement {
  const told = isRow(answer.value) ? answer.value.status : undefined
  return told === answer.status
    ? 'passed'
    : fault(answer, `"status": ${answer.status}`, `"status": ${JSON.stringify(told)}`)
}

function serverFact(): Judged {
  return {
    id: 'errors/server',
    name: 'No request is answered with a 5xx',
    clause: 'Errors',
    judge: eachOf(
      () => true,
      (answer) => (answer.status < 500 ? 'passed' : fault(answer, 'a success, or a 4xx')),
    ),
  }
}

/** Refusals that the document gives no status for have its error body as well; where it is a decision, it is judged by itself. */
function errorFacts({ operations }: Contract): Judged[] {
  const refusals = operations.flatMap(({ responses }) =>
    responses.filter(({ status }) => status >= 400),
  )
  const validate = refusals.find((one) => one.validate)?.validate
  if (!validate) return []
  const open = new Set(refusals.filter((one) => one.bodyDecision).map(({ status }) => status))
  const isMeant = ({ status, question: { operation, method } }: Answer): boolean =>
    status >= 400 && operation !== undefined && method !== 'HEAD' && !open.has(status)

  return [
    {
      id: 'errors/body',
      name: 'Every refusal has an Error body',
      clause: 'Errors',
      judge: eachOf(isMeant, (answer) => hasBody(answer, validate)),
    },
  ]
}
