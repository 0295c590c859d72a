/** Waits until `settle` has saved a change. A change that cannot be saved is undone; then it rejects with the reason. */
export async function commitOrUndo(
  settle: () => Promise<void>,
  undo: (() => Promise<void>) | undefined,
): Promise<void> {
  try {
    await settle()
  } catch (error) {
    await undo?.()
    throw error
  }
}
