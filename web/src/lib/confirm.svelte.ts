// `await confirm({...})`: asks before something that cannot be undone. ConfirmDialog.svelte shows the question.
export interface Question {
  title: string;
  text?: string;
  yes: string; // what the button says: "Resign", not "OK"
  no?: string;
  danger?: boolean;
}

class Confirm {
  pending = $state.raw<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined);
}
export const confirming = new Confirm();

export function confirm(question: Question): Promise<boolean> {
  confirming.pending?.answer(false);
  return new Promise((resolve) => {
    confirming.pending = {
      ...question,
      answer: (yes) => {
        confirming.pending = undefined;
        resolve(yes);
      },
    };
  });
}
