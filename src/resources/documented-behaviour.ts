import { answerAsDocumented } from '../responses/documented-answer.ts'
import type { AdmittedRequest, BehaviourResult } from './behaviour.ts'

/** Answers from the document alone: an operation that reads and changes no record. */
export async function answerStateless(admitted: AdmittedRequest): Promise<BehaviourResult> {
  const { request, input, binding, service } = admitted
  return answerAsDocumented({
    request,
    operation: binding.operation,
    parameters: input.path,
    service,
  })
}
