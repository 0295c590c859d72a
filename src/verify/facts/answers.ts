import type { Contract, Operation, Response, ResponseHeader } from '../../contract/contract.ts'
import { describeFaults } from '../../contract/faults.ts'
import { propertiesOf } from '../../contract/shape.ts'
import { isRow } from '../row.ts'
import type { Answer } from '../target/answer.ts'
import { deprecationFacts } from './deprecation.ts'
import { factOf, type Judged, type Judgement } from './fact.ts'
import { eachOf, fault, isOf } from './judge.ts'

/** What the answers to an operation's requests have to be, whatever was asked. They are judged at the end. */
export function answerFacts(contract: Contract): Judged[] {
  return [
    ...contract.operations.flatMap((operation) => [
      ...operation.responses.flatMap((response) => responseFacts(operation, response)),
      ...deprecationFacts(operation),
    ]),
    ...errorFacts(contract),
  ]
}

function responseFacts(operation: Operation, response: Response): Judged[] {
  const { status, check, schema, decision } = response
  const open = decision ? { decision } : {}
  const name = (what: string): string => `answers ${status} ${what}`
  const each = (judge: (answer: Answer) => Judgement): Judged['judge'] =>
    eachOf(
      (answer) => isOf(operation, answer) && answer.status === status,
      judge,
      `no answer with status ${status} came`,
    )
  const headers = (response.headers ?? []).filter(({ name }) => !QUOTA.test(name))

  return [
    ...(check && schema
      ? [
          factOf(
            operation,
            `${status}/body`,
            name('with a body as the document gives it'),
            each((answer) => hasBody(answer, check)),
            open,
          ),
          factOf(operation, `${status}/type`, name('as JSON'), each(isJson), {
            clause: 'What the service does',
            ...open,
          }),
        ]
      : [
          factOf(
            operation,
            `${status}`,
            name('where the document says so'),
            each(() => 'passed'),
            open,
          ),
        ]),
    ...(schema && status >= 400 && propertiesOf(schema).has('status')
      ? [
          factOf(operation, `${status}/status`, name('and repeats it in the body'), each(repeats), {
            clause: 'Errors',
            ...open,
          }),
        ]
      : []),
    ...headers
      .filter(({ required }) => required)
      .map((header) => headerFact(operation, response, header)),
  ]
}

const QUOTA = /^X-RateLimit-/i

function headerFact(operation: Operation, response: Response, header: ResponseHeader): Judged {
  const { status } = response
  const { name, check, schema } = header
  const isOpen = response.decision || header.decision
  const isNumber = schema.type === 'integer' || schema.type === 'number'

  return factOf(
    operation,
    `${status}/${name}`,
    `answers ${status} with ${name}`,
    eachOf(
      (answer) => isOf(operation, answer) && answer.status === status,
      (answer) => {
        const text = answer.headers.get(name)
        if (text === null) return fault(answer, `the header ${name}`, 'it is missing')
        // It may be a date as well (RFC 9110, section 10.2.3).
        if (/^retry-after$/i.test(name) && !Number.isNaN(Date.parse(text)) && /[a-z]/i.test(text))
          return 'passed'
        const value = isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
        return check(value)
          ? 'passed'
          : fault(answer, describeFaults(name, check.errors ?? []), `${name}: ${text}`)
      },
      `no answer with status ${status} came`,
    ),
    isOpen ? { decision: true } : {},
  )
}

function hasBody(answer: Answer, check: NonNullable<Response['check']>): Judgement {
  if (answer.value === undefined) return fault(answer, 'a JSON body')
  if (check(answer.value)) return 'passed'
  return fault(answer, describeFaults('body', check.errors ?? []))
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

function errorFacts({ operations }: Contract): Judged[] {
  const refusals = operations.flatMap(({ responses }) =>
    responses.filter(({ status }) => status >= 400),
  )
  const body = refusals.find(({ check }) => check)
  const known = ({ question }: Answer): boolean => question.operation !== undefined

  return [
    {
      id: 'errors/server',
      name: 'No request is answered with a 5xx',
      clause: 'Errors',
      judge: eachOf(
        () => true,
        (answer) => (answer.status < 500 ? 'passed' : fault(answer, 'a success, or a 4xx')),
        'no answer came',
      ),
    },
    ...(body?.check
      ? [
          {
            id: 'errors/body',
            name: 'Every refusal has an Error body',
            clause: 'Errors',
            judge: eachOf(
              (answer) =>
                answer.status >= 400 && known(answer) && answer.question.method !== 'HEAD',
              (answer) => hasBody(answer, body.check ?? (() => true)),
              'no request was refused',
            ),
          },
        ]
      : []),
  ]
}
