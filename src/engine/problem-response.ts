import type { CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { RefusedRequest } from './error-form/documented-error.ts'
import { hasErrorForm } from './has-error-form.ts'

/** The response to a problem, in the form that the document describes. What makes that is loaded with the first such error. */
export async function problemResponse(
  problem: Problem,
  refused: RefusedRequest,
  service: AnsweringService,
): Promise<CoreResponse> {
  if (!hasErrorForm(service.settings.contract)) return problem.toResponse()
  const { documentedError } = await import('./error-form/documented-error.ts')

  return documentedError(problem, refused, service)
}
