import type { Sampler } from './parameter-texts.ts'

/** Dates of the request count from this time, so that every start prints the same one. */
const REFERENCE_TIME = Date.parse('2026-01-01T00:00:00Z')

/** Loads the generator when the first value is needed. Every value is the first one of its seed. */
export function createSampler(): () => Promise<Sampler> {
  let loading: Promise<Sampler> | undefined
  return () => {
    loading ??= loadSampler()
    return loading
  }
}

async function loadSampler(): Promise<Sampler> {
  const [{ generateValue }, { withoutHints }] = await Promise.all([
    import('../../generate/generate-value.ts'),
    import('../../generate/hinted-values.ts'),
  ])
  return (schema) =>
    generateValue(
      { schema, seed: [1], now: REFERENCE_TIME },
      { makeHinted: withoutHints, isSmall: true },
    ).value
}
