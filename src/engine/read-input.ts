import type { Reading, Validation } from '../contract/input.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import type { CoreRequest } from '../http/message.ts'
import { MAX_NOTES } from '../journal/exchange-facts.ts'
import type { Service } from './service.ts'

/** Reads and checks the input of a request, as the settings say unless another validation is given. */
export function readInput(
  match: Match,
  request: CoreRequest,
  { settings, access }: Pick<Service, 'settings' | 'access'>,
  validation: Validation = settings.validation,
): Reading | Promise<Reading> {
  return read(match, request, {
    maxNotes: MAX_NOTES,
    bodyLimit: settings.bodyLimit,
    validation,
    unknownProperties: settings.unknownProperties,
    credentials: access,
  })
}
