import { UsageError, unknownName } from '../validation/usage-error.ts'

/** The default world cannot be deleted. */
export function ownWorldError(name: string): UsageError {
  return new UsageError({
    code: 'own_world',
    task: `delete the world "${name}"`,
    reason: 'it is the default world of the sandbox',
    help: 'Reset it instead.',
  })
}

/** The world whose state a new world should have does not exist. */
export function unknownSourceError(
  name: string,
  from: string,
  known: readonly string[],
): UsageError {
  return new UsageError({
    code: 'unknown_world',
    task: `create the world "${name}"`,
    ...unknownName('world', from, known),
  })
}

/** A world that exists cannot begin with the state of another one. */
export function existingWorldError(name: string): UsageError {
  return new UsageError({
    code: 'world_exists',
    task: `create the world "${name}"`,
    reason: 'it exists already',
    help: 'Delete it first, or choose another name.',
  })
}

/** The plans and keys of all worlds of API keys are those of the default world. */
export function keyWorldKeysError(name: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task: `change the plans and keys of the world "${name}"`,
    reason: 'worlds of API keys have those of the default world',
    help: 'Change them in the default world.',
  })
}

/** The world of an API key cannot be created by its name. */
export function unknownKeyWorldError(name: string): UsageError {
  return new UsageError({
    code: 'unknown_world',
    task: `use the world "${name}"`,
    reason: 'it is the world of an API key, which has not sent a request',
    help: 'Send a request with the key, or choose another name.',
  })
}
