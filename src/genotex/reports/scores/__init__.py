"""Pages of scores and the leaderboard."""
