import type { Operation } from '../../contract/contract.ts'
import { decodeComponent } from '../../contract/parse-text.ts'
import {
  type CheckDefinition,
  type Evaluation,
  isOnlyErrors,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { responseChecks } from '../checks/response-checks.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { inLongestPage } from '../probes/steps.ts'
import { collectionTarget, itemTarget, pathOf, withPath } from '../record-address.ts'
import { NoResponse } from '../session/send-and-read.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import type { Command } from './commands.ts'
import { randomRequest } from './random-requests.ts'
import { RecordModel } from './record-model.ts'

/** A response that breaks a promise of the document, or contradicts what the service said before. */
export interface FuzzFailure {
  readonly check: CheckDefinition
  readonly evaluation: Evaluation
}

/** What happened in a sequence. */
export interface Played {
  /** The requests that were sent, and the names of what was random in them. */
  readonly commands: readonly Command[]
  readonly responses: readonly ProbeResponse[]
  /** The first failure; it ends the sequence. */
  readonly failure?: FuzzFailure
}

/** Sends the requests of sequences, and judges the responses. */
export class FuzzPlayer {
  readonly #session: Session
  readonly #checks = new Map<string, CheckDefinition[]>()
  /** The checks that failed without random input. */
  readonly #known: ReadonlySet<string>

  constructor(session: Session, known: ReadonlySet<string>) {
    this.#session = session
    this.#known = known
    for (const check of responseChecks(session.target.contract)) {
      const { operation, decision } = check
      if (operation === undefined || decision) continue
      this.#checks.set(operation, [...(this.#checks.get(operation) ?? []), check])
    }
  }

  /** Plays a sequence until a response fails, and removes what it created. */
  async play(commands: readonly Command[]): Promise<Played> {
    const model = new RecordModel()
    const played: Command[] = []
    const responses: ProbeResponse[] = []
    let failure: FuzzFailure | undefined
    for (const command of commands) {
      const record = model.find(command)
      try {
        const plain = await this.#requestOf(command, record)
        if (!plain) continue
        const { request, names } = randomRequest(plain, command)
        const response = await this.#session.send(request)
        played.push({ ...command, names })
        responses.push(response)
        failure = this.#judge(command, response, model.next(command, response, record))
      } catch (error) {
        if (error instanceof NoResponse) failure = withoutResponse(command, error)
        // Such as a request that could change what the run did not create.
        else if (!(error instanceof NotSent)) throw error
      }
      if (failure) break
    }
    await this.#remove(model)
    return { commands: played, responses, ...(failure && { failure }) }
  }

  async #requestOf(
    { kind, operation, binding }: Command,
    record: ReturnType<RecordModel['find']>,
  ): Promise<ProbeRequest | undefined> {
    const request = await validRequest(operation, this.#session)
    if (kind === 'query' || kind === 'create') return request
    if (!record || !binding) return undefined
    if (kind === 'list')
      return inLongestPage(
        {
          ...request,
          target: withPath(request.target, collectionTarget(record.created, operation)),
        },
        binding,
      )
    const target = withPath(request.target, itemTarget(record.created, operation, record.id))
    return { ...request, target }
  }

  #judge(
    { operation, isInvalid }: Command,
    response: ProbeResponse,
    state: Evaluation,
  ): FuzzFailure | undefined {
    const isRefused = response.request.isExact !== true || !isSuccess(response)
    const own = [
      [
        SERVER_ERROR,
        passIf(response.status < 500 || isOnlyErrors(operation), response, 'a status below 500'),
      ],
      [
        REJECTS,
        passIf(
          !isInvalid || isRefused || !refuses(operation),
          response,
          'a refusal, because the document does not allow the body',
        ),
      ],
      [CONSISTENT, state],
    ] as const
    for (const [[id, name], evaluation] of own) {
      const check = operationCheck(operation, `fuzz/${id}`, name, () => evaluation)
      if (isFailure(evaluation)) return { check, evaluation }
    }
    const checks = this.#checks.get(operation.id) ?? []
    for (const check of checks) {
      const evaluation = this.#known.has(check.id)
        ? 'passed'
        : check.evaluate([response], this.#session.records)
      if (isFailure(evaluation)) return { check, evaluation }
    }
    return undefined
  }

  /** A list with the records of all sequences would have several pages. */
  async #remove(model: RecordModel): Promise<void> {
    const { contract } = this.#session.target
    for (const { create, created, id } of model.newestFirst) {
      const target = itemTarget(created, create.operation, id)
      const remove = contract.operations.find(
        ({ method, path }) =>
          method === 'DELETE' &&
          path.replace(/\/\{[^{}]+\}\/?$/, '') === create.operation.path.replace(/\/$/, ''),
      )
      if (!remove || this.#session.reasonToExclude(remove) !== undefined) continue
      const request = await validRequest(remove, this.#session).catch(() => undefined)
      if (!request) continue
      await this.#session
        .sendOutsideBudget({ ...request, target: withPath(request.target, target) })
        .catch(() => undefined)
    }
  }
}

const NO_RESPONSE = 'no-response'
const SERVER_ERROR = ['server-error', 'answers random requests without a 5xx'] as const
const REJECTS = ['rejects', 'rejects random bodies that the document does not allow'] as const
const CONSISTENT = ['state', 'agrees with the requests before it'] as const

export function isFailure(evaluation: Evaluation): boolean {
  return evaluation !== 'passed' && !('leftOut' in evaluation)
}

/** A service that does not answer may be down: the sequence is not played again. */
export function isWithoutResponse({ failure }: Played): boolean {
  return failure?.check.id.endsWith(`/fuzz/${NO_RESPONSE}`) === true
}

function withoutResponse({ operation }: Command, { message }: NoResponse): FuzzFailure {
  const evaluation = { expected: 'a response', received: message }
  const name = 'answers random requests'
  return {
    check: operationCheck(operation, `fuzz/${NO_RESPONSE}`, name, () => evaluation),
    evaluation,
  }
}

/** The responses of a sequence after those that created the records above its collection. */
export function withParents(
  responses: readonly ProbeResponse[],
  all: readonly ProbeResponse[],
): readonly ProbeResponse[] {
  const [first] = responses
  const segments = first ? pathOf(first.request.target).split('/') : []
  const parents = segments.flatMap((segment, at) => {
    const collection = segments.slice(0, at).join('/')
    const creation = all.findLast(
      (one) =>
        one.request.method === 'POST' &&
        isSuccess(one) &&
        pathOf(one.request.target).replace(/\/$/, '') === collection &&
        one.text.includes(decodeComponent(segment)),
    )
    return at > 0 && creation && !responses.includes(creation) && segment !== '' ? [creation] : []
  })
  return [...parents, ...responses]
}

/** Whether the document has a status for invalid bodies. */
function refuses({ responses, otherResponses = [] }: Operation): boolean {
  return (
    responses.some(({ status, decision }) => (status === 400 || status === 422) && !decision) ||
    otherResponses.some(({ range }) => range === '4XX')
  )
}
