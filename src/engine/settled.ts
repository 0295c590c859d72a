/** An answer, and what undoes the changes that were made for it. */
export interface Settleable<Answer> {
  readonly answer: Answer
  /** Absent when nothing was changed. */
  readonly undo?: (() => Promise<void>) | undefined
}

/** Gives the answer once `settle` has saved what was changed. What cannot be saved is undone, and rejects. */
export async function commitOrUndo<Answer>(
  { answer, undo }: Settleable<Answer>,
  settle: (() => Promise<void>) | undefined,
): Promise<Answer> {
  try {
    await settle?.()
  } catch (error) {
    await undo?.()
    throw error
  }
  return answer
}
